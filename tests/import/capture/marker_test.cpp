#include "import/capture/marker.h"

#include <string>

#include <gtest/gtest.h>

#include "import/capture/python_literal.h"

namespace dlview::import::capture {
namespace {

TEST(Literals, AreReadAsPythonWritesThem) {
  const auto literal =
      read_literal(R"({'a': (1, -2,), "b": [True, None, 1.5], 'c\'d': 'x\\y\u00e9\n', 'e': {}})");
  ASSERT_TRUE(literal.has_value());
  const Literal::List* tuple = literal->find("a")->list();
  ASSERT_EQ(tuple->size(), 2u);
  EXPECT_EQ(std::get<int64_t>((*tuple)[1].value), -2);
  const Literal::List* list = literal->find("b")->list();
  EXPECT_TRUE(std::get<bool>((*list)[0].value));
  EXPECT_TRUE(std::holds_alternative<std::monostate>((*list)[1].value));
  EXPECT_EQ(std::get<double>((*list)[2].value), 1.5);
  EXPECT_EQ(*literal->find("c'd")->text(), "x\\y\xc3\xa9\n");
  EXPECT_EQ(literal->find("f"), nullptr);
}

TEST(Literals, AcceptTrailingCommasAndControlCharacters) {
  const auto dict = read_literal(R"({'a': 1, 'b': [2,], })");
  ASSERT_TRUE(dict.has_value());
  EXPECT_EQ(std::get<Literal::Dict>(dict->value).size(), 2u);
  EXPECT_EQ(*read_literal(R"("\a\b\f\v\/")")->text(), "\a\b\f\v/");
}

TEST(Literals, ThatAreNoneOrNotWholeAreRefused) {
  for (const char* text : {"", "{", "{'a'}", "{'a': }", "[1 2]", "'open", "{'a': 1} more", "'\\x4'",
                           "name", "[1, 2", "{,}", "[,]", "{'a': 1,, }"}) {
    EXPECT_FALSE(read_literal(text).has_value()) << text;
  }
  EXPECT_FALSE(read_literal(std::string(100'000, '[')).has_value());
}

TEST(Literals, AreValidUtf8WhateverTheirEscapesSay) {
  const auto text = [](const std::string& literal) { return *read_literal(literal)->text(); };
  EXPECT_EQ(text(R"('\ud83d\ude00')"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(text(R"('\U0001f600')"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(text(R"('\ud83d')"), "\xef\xbf\xbd");
  EXPECT_EQ(text(R"('\ud83dx')"), "\xef\xbf\xbdx");
  EXPECT_EQ(text(R"('\ud83d\u0041')"),
            "\xef\xbf\xbd"
            "A");
  EXPECT_EQ(text(R"('\ude00')"), "\xef\xbf\xbd");
  EXPECT_EQ(text(R"('\Uffffffff')"), "\xef\xbf\xbd");
}

TEST(OpMarkers, OfConvolutionsTellFormatsAndOutputs) {
  const auto marker = read_op_marker(
      "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': '', 'type': 'tensor', "
      "'shape': (32, 3, 30, 32), 'dtype': 'float16'}, {'name': 'w', 'type': 'tensor', 'shape': "
      "(6, 3, 3, 5), 'dtype': 'float32'}, {'name': 'stride', 'type': 'int', 'value': 1}]}");
  ASSERT_TRUE(marker.has_value());
  EXPECT_EQ(marker->op, "conv2d");
  EXPECT_EQ(marker->data_type, "float16");
  EXPECT_EQ(marker->data_format, "N,C,H,W;K,C,R,S");
  EXPECT_EQ(marker->input_names, "[\"\",\"w\"]\n");
  EXPECT_EQ(marker->input_shapes, "[[32,3,30,32],[6,3,3,5]]\n");
  EXPECT_EQ(marker->output_shapes, "[[32,6,28,28]]\n");
}

TEST(OpMarkers, OfConvolutionsThatDoNotFitTellNoOutputs) {
  const auto output_of = [](const std::string& data, const std::string& weight) {
    return read_op_marker("{'mod': 'torch', 'op': 'conv2d', 'args': [{'type': 'tensor', 'shape': " +
                          data + "}, {'type': 'tensor', 'shape': " + weight + "}]}")
        ->output_shapes;
  };
  EXPECT_EQ(output_of("(1, 1, 5, 5)", "(1, 1, 5, 3)"), "[[1,1,1,3]]\n");
  EXPECT_EQ(output_of("(1, 1, 5, 5)", "(1, 1, 6, 3)"), "null\n");
  EXPECT_EQ(output_of("(1, 1, 9223372036854775807, 5)", "(1, 1, -9223372036854775807, 3)"),
            "null\n");
}

TEST(OpMarkers, WithoutTensorsTellNoShapes) {
  const auto marker = read_op_marker("{'mod': 'torch', 'op': 'randn', 'args': []}");
  ASSERT_TRUE(marker.has_value());
  EXPECT_EQ(marker->input_shapes, "null\n");
  EXPECT_EQ(marker->data_type, "");
}

TEST(OpMarkers, WithoutAnOpAreNone) {
  EXPECT_FALSE(read_op_marker("{'mod': 'torch', 'args': []}").has_value());
}

TEST(TraceMarkers, TellTheOpsPathAndTheStack) {
  const auto marker = read_trace_marker(
      "{'traceMarker': ['a.py:3', \"b's.py:4\"], 'funcStack': '/<module>/Net::forward(2)/relu'}");
  ASSERT_TRUE(marker.has_value());
  EXPECT_EQ(marker->op_name, "/module/Net::forward[2]/relu");
  EXPECT_EQ(marker->stack_trace, "a.py:3\nb's.py:4");
}

}  // namespace
}  // namespace dlview::import::capture
