#include "timeline/range_name.h"

#include <gtest/gtest.h>

namespace dlview::timeline {
namespace {

TEST(RangeName, OfATraceMarkerIsItsOp) {
  EXPECT_EQ(range_name("{'traceMarker': ['train.py:35'], 'funcStack': "
                       "'/<module>/net::forward/relu(2)'}"),
            "/module/net::forward/relu[2]");
}

TEST(RangeName, OfAnOpMarkerIsItsFunction) {
  EXPECT_EQ(range_name("{'mod': 'torch', 'op': 'conv2d', 'args': [{'name': '', 'op': 'x'}]}"),
            "conv2d");
}

TEST(RangeName, OfAModelConfigIsShort) {
  EXPECT_EQ(range_name("{\"model_config\": {\"num_workers\": 2}}"), "model_config");
}

TEST(RangeName, IsTheTextWhereNoOpIsIn) {
  for (const char* text : {"", "step 3", "{'mod", "{'mod': 'torch'}", "{'mod': 'torch', 'op': ",
                           "{'mod': 'torch', 'op': 'conv", "{'traceMarker': []}"}) {
    EXPECT_EQ(range_name(text), text);
  }
}

}  // namespace
}  // namespace dlview::timeline
