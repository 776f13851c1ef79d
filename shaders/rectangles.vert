#version 330 core
// One instance is one rectangle; its four corners come from gl_VertexID, drawn as a strip. Edges
// snap to the nearest pixel boundary, so that neighbors share their edge without gap or overlap.

uniform vec2 framebuffer_size;  // pixels

layout(location = 0) in vec4 bounds;  // left, top, right, bottom in pixels, origin top left
layout(location = 1) in vec4 color;

flat out vec4 fill;

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 pixel = floor(mix(bounds.xy, bounds.zw, corner) + 0.5);
  vec2 position = pixel / framebuffer_size * 2.0 - 1.0;
  gl_Position = vec4(position.x, -position.y, 0.0, 1.0);
  fill = color;
}
