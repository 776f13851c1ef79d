#include "profile/kernel_labels.h"

#include <ctime>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

using ::testing::ElementsAre;

// `functor` as nsys writes it.
std::string elementwise(const std::string& functor) {
  return "void at::native::vectorized_elementwise_kernel<(int)4, " + functor +
         ", at::detail::Array<char *, (int)3>>(int, T2, T3)";
}
std::string lambda_in(const std::string& function) {
  return "at::native::<unnamed>::" + function +
         "(at::TensorIteratorBase &)::[lambda() (instance 2)]::operator ()() const::[lambda(float) "
         "(instance 1)]";
}
std::string strided_dgrad(const std::string& kernel, const std::string& tile,
                          const std::string& last) {
  return "void xmma_cudnn::implicit_gemm::strided_dgrad_indexed::" + kernel +
         "<xmma_cudnn::implicit_gemm::strided_dgrad_indexed::Kernel_traits<xmma_cudnn::Ampere_hmma_"
         "tf32_traits<unsigned int, float>, xmma_cudnn::Cta_tile<xmma_cudnn::Ampere, " +
         tile + ", (int)2, (int)4>, (int)" + last + ">, (bool)0>(T1::Params)";
}

std::vector<std::string> labels_of(const std::vector<std::pair<std::string, std::string>>& names) {
  std::vector<KernelTexts> texts;
  for (const auto& [short_name, demangled] : names) texts.push_back({short_name, demangled});
  return kernel_labels(texts);
}

TEST(KernelLabels, AreShortNamesWhereTheyTellKernelsApart) {
  EXPECT_THAT(
      labels_of({{"vectorized_elementwise_kernel", elementwise("at::native::AbsFunctor<float>")},
                 {"ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"},
                 {"gemm", ""}}),
      ElementsAre("vectorized_elementwise_kernel", "ampere_sgemm_128x64_tn", "gemm"));
}

TEST(KernelLabels, NameTheFunctorOfATemplate) {
  const std::string name = "vectorized_elementwise_kernel";
  EXPECT_THAT(labels_of({{name, elementwise("at::native::CUDAFunctor_add<float>")},
                         {name, elementwise("at::native::CUDAFunctorOnSelf_add<float>")},
                         {name, elementwise(lambda_in("leaky_relu_backward_kernel"))},
                         {name, elementwise(lambda_in("leaky_relu_kernel"))}}),
              ElementsAre("vectorized_elementwise<add>", "vectorized_elementwise<OnSelf_add>",
                          "vectorized_elementwise<leaky_relu_backward>",
                          "vectorized_elementwise<leaky_relu>"));
}

TEST(KernelLabels, AddTheFewestDetailsThatTellKernelsApart) {
  const std::string name = "vectorized_elementwise_kernel";
  const auto mul = [](const std::string& wrapper, const std::string& type) {
    return elementwise("at::native::" + wrapper + "<" + type +
                       ", at::native::binary_internal::MulFunctor<" + type + ">>");
  };
  EXPECT_THAT(labels_of({{name, mul("AUnaryFunctor", "float")},
                         {name, mul("AUnaryFunctor", "c10::Half")},
                         {name, mul("BinaryFunctor", "float")}}),
              ElementsAre("vectorized_elementwise<mul, float, AUnary>",
                          "vectorized_elementwise<mul, Half, AUnary>",
                          "vectorized_elementwise<mul, float, Binary>"));
  EXPECT_THAT(labels_of({{"Flip", "void dali::Flip<(unsigned long)4, (bool)0, float>(T3 *)"},
                         {"Flip", "void dali::Flip<(unsigned long)5, (bool)0, float>(T3 *)"}}),
              ElementsAre("Flip<4>", "Flip<5>"));
}

TEST(KernelLabels, OfProductsTellOpTileAndType) {
  const std::string large = "(int)128, (int)256, (int)32", small = "(int)64, (int)128, (int)32";
  EXPECT_THAT(
      labels_of({{"kernel", strided_dgrad("kernel", large, "3")},
                 {"kernel", strided_dgrad("kernel", small, "3")},
                 {"kernel", strided_dgrad("kernel", small, "5")},
                 {"kernel", "void mine::kernel<float>(T1 *)"}}),
      ElementsAre("strided_dgrad_indexed 128x256x32 tf32", "strided_dgrad_indexed 64x128x32 tf32 3",
                  "strided_dgrad_indexed 64x128x32 tf32 5", "mine::kernel"));
  const std::string wgrad =
      "sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_"
      "stage4_warpsize2x2x1_g1_tensor16x8x8_execute_";
  EXPECT_THAT(labels_of({{wgrad + "kernel_cudnn", wgrad + "kernel_cudnn"},
                         {wgrad + "split_k_kernel_cudnn", wgrad + "split_k_kernel_cudnn"}}),
              ElementsAre("wgrad_implicit_gemm_indexed 128x128x16 tf32",
                          "wgrad_implicit_gemm_indexed 128x128x16 tf32 split k"));
  EXPECT_THAT(labels_of({{"Kernel2",
                          "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nt>"
                          "(T1::Params)"}}),
              ElementsAre("cutlass_80_simt_sgemm_128x64_8x5_nt"));
}

TEST(KernelLabels, AreOneForOneFunction) {
  EXPECT_THAT(labels_of({{"k", "void k<float, at::detail::Array<char *, (int)3>>(int, T1)"},
                         {"k", "void k<float, std::array<char *, (unsigned long)3>>(long, T1)"}}),
              ElementsAre("k", "k"));
}

TEST(KernelLabels, AreIdentitiesWhereNothingShorterDoes) {
  EXPECT_THAT(labels_of({{"k", "void k<float, float>(T1)"}, {"k", "void k<float>(T1)"}}),
              ElementsAre("k<float, float>", "k<float>"));
  // A short name that another label happens to be.
  EXPECT_THAT(
      labels_of({{"k", "void a::k<int>(T1)"}, {"k", "void a::k<float>(T1)"}, {"k<int>", "k<int>"}}),
      ElementsAre("a::k<int>", "k<float>", "k<int>"));
}

TEST(KernelLabels, TellOverloadsApart) {
  EXPECT_THAT(labels_of({{"axpy", "axpy(float *, int)"},
                         {"axpy", "axpy(double *, int)"},
                         {"Fan1", "Fan1(float *, float *, int, int)"},
                         {"scale", "void scale<float>(T1 *)"},
                         {"scale", "scale(float *)"}}),
              ElementsAre("axpy(float*, int)", "axpy(double*, int)", "Fan1", "scale<float>",
                          "scale(float*)"));
}

// Behind two kernels of one label, the identity of each kernel is the label of the next.
TEST(KernelLabels, SettleAChainInOnePass) {
  constexpr int kLinks = 20'000;
  std::vector<std::pair<std::string, std::string>> names{
      {"f", "void a::f<int>()"}, {"f", "void b::f<int>()"}, {"a::f<int>", "c0"}};
  for (int i = 0; i < kLinks; ++i) {
    names.emplace_back("c" + std::to_string(i), "c" + std::to_string(i + 1));
  }
  const std::clock_t begin = std::clock();
  const std::vector<std::string> labels = labels_of(names);
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
  EXPECT_EQ(labels[2], "c0");
  EXPECT_EQ(labels.back(), "c" + std::to_string(kLinks));
  EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), labels.size());
}

// Names out of a few pieces, whole and cut.
TEST(KernelLabels, TellRandomKernelsApart) {
  std::mt19937_64 random(7);
  const std::vector<std::string> pieces{
      "k",     "<",        ">",      ",",     "float", "::",     "(int)4",
      "Array", "char*",    "lambda", "[",     "]",     "(",      ")",
      " ",     "operator", "void ",  "const", "#1",    "kernel", "Cta_tile<a, 1, 2, 3>"};
  for (int round = 0; round < 300; ++round) {
    std::vector<std::pair<std::string, std::string>> names;
    for (int i = 0; i < 20; ++i) {
      std::string demangled;
      for (uint64_t left = random() % 12; left > 0; --left) {
        demangled += pieces[random() % pieces.size()];
      }
      names.emplace_back(i % 3 == 0 ? "kernel" : "k", demangled);
    }
    const std::vector<std::string> labels = labels_of(names);
    std::map<std::string, std::string> label_of_identity;
    std::set<std::string> distinct;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string identity = kernel_identity({names[i].first, names[i].second});
      const auto [entry, is_new] = label_of_identity.emplace(identity, labels[i]);
      EXPECT_EQ(entry->second, labels[i]);
      EXPECT_EQ(distinct.insert(labels[i]).second, is_new) << labels[i];
    }
  }
}

}  // namespace
}  // namespace dlview::profile
