#version 330 core

flat in vec4 fill;
out vec4 fragment;

void main() { fragment = fill; }
