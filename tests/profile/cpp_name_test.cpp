#include "profile/cpp_name.h"

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

std::string normal(std::string_view demangled) {
  const std::optional<CppName> name = read_cpp_name(demangled);
  return name ? to_text(*name) : "no C++";
}

TEST(CppName, LosesReturnTypeAndTemplateParameters) {
  EXPECT_EQ(normal("void gemv2T_kernel<int, (int)128, (bool)0>(T1, const T2 *)"),
            "gemv2T_kernel<int, 128, 0>");
  EXPECT_EQ(normal("float a<int>::f<float>(T1)::g<long, std::allocator<int>>(T1, T2)"),
            "a<int>::f<float>::g<long>");
  EXPECT_EQ(normal("unsigned long long a::b<const float *, unsigned long>(T1)"),
            "a::b<const float*, unsigned long>");
  EXPECT_EQ(normal("void constant_fill<float>(T1 *)"), "constant_fill<float>");
}

TEST(CppName, IsTheSameFromEveryDemangler) {
  const char* nsys =
      "void at::native::vectorized_elementwise_kernel<(int)4, "
      "at::native::<unnamed>::exp_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance "
      "2)]::operator ()() const::[lambda(float) (instance 1)], at::detail::Array<char *, "
      "(int)2>>(int, T2, T3)";
  const char* kineto =
      "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
      "namespace)::exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
      "const::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::(anonymous "
      "namespace)::exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
      "const::{lambda(float)#1}, std::array<char*, 2ul>)";
  EXPECT_EQ(normal(nsys),
            "at::native::vectorized_elementwise_kernel<4, "
            "at::native::exp_kernel_cuda::lambda()#2::lambda(float)#1>");
  EXPECT_EQ(normal(nsys), normal(kineto));
}

TEST(CppName, KeepsWhatTellsFunctionsApart) {
  EXPECT_EQ(normal("void k<gather<(bool)1>::operator ()<Assign>(int, long)::[lambda(int) (instance "
                   "3)]>(T1)"),
            "k<gather<1>::operator()<Assign>::lambda(int)#3>");
  EXPECT_EQ(normal("void cub::CUB_200600_500_NS::Reduce<cuda::std::__4::plus<void>>(T1)"),
            "cub::Reduce<cuda::std::plus<void>>");
  EXPECT_NE(normal("void k<float>(T1)"), normal("void k<double>(T1)"));
}

TEST(CppName, KeepsParametersOfOverloads) {
  EXPECT_EQ(normal("Fan1(float *, float *, int, int)"), "Fan1(float*, float*, int, int)");
  EXPECT_NE(normal("axpy(float *, int)"), normal("axpy(double *, int)"));
  EXPECT_NE(normal("axpy(const float *)"), normal("axpy(float *)"));
  EXPECT_NE(normal("a(float (&)[4])"), normal("a(float (&)[8])"));
  EXPECT_EQ(normal("scale<int>::run(float *)"), "scale<int>::run(float*)");
  EXPECT_NE(normal("void k<void(int)>(T1)"), normal("void k<void(float)>(T1)"));
}

TEST(CppName, KeepsParametersAlikeFromEveryDemangler) {
  EXPECT_EQ(normal("axpy(const float *, unsigned int, <unnamed>::Map<(int)2>)"),
            normal("axpy(float const*, unsigned int, (anonymous namespace)::Map<2>)"));
  EXPECT_EQ(normal("a(const unsigned long *, float *const *)"),
            normal("a(unsigned long const*, float* const*)"));
  EXPECT_EQ(normal("a(volatile int *)"), normal("a(int volatile*)"));
  EXPECT_EQ(normal("a(float (&)[4], int *)"), normal("a(float(&)[4],int*)"));
  EXPECT_EQ(normal("a(void)"), normal("a()"));
  EXPECT_EQ(normal("nccl(Storage<(unsigned long)4096>, Flag<(bool)1>)"),
            normal("nccl(Storage<4096ul>, Flag<true>)"));
  EXPECT_EQ(normal("k<(long)-3, (bool)0>()"), normal("k<-3l, false>()"));
}

TEST(CppName, IsNoneOfFlatAndBrokenNames) {
  for (const char* text :
       {"", "ampere_sgemm_128x64_tn", "CUDA graph 3", "void k<float(T1)", "k<", "k<>>(", "::", "<>",
        "()", "void k<(int>(T1)", "operator", "[lambda", "a::(b"}) {
    EXPECT_EQ(normal(text), "no C++") << text;
  }
}

std::string nested(int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += "k<";
  return text + "k" + std::string(static_cast<std::size_t>(levels), '>');
}

TEST(CppName, IsNoneBeyondItsLimits) {
  EXPECT_EQ(normal(nested(199)), nested(199));
  EXPECT_EQ(normal(nested(300)), "no C++");
  const std::string long_word(60'000, 'k'), too_long_word(70'000, 'k');
  EXPECT_EQ(normal("a::" + long_word), "a::" + long_word);
  EXPECT_EQ(normal("a::" + too_long_word), "no C++");
  EXPECT_EQ(normal("k<unsigned long long int>"), "k<unsigned long long int>");
  EXPECT_EQ(normal("k<unsigned unsigned unsigned unsigned int>"), "no C++");
}

std::string repeated(std::string_view text, std::size_t size) {
  std::string result;
  while (result.size() + text.size() <= size) result += text;
  return result;
}

// Each of these took time by the square of the length.
TEST(CppName, TakesTimeByLength) {
  for (const std::string_view text : {"volatile ", "unsigned ", "const ", "(anonymous namespace)::",
                                      "[lambda()]::", "float ", "k::", "k()::"}) {
    const auto seconds = [text](std::size_t size) {
      const std::string name = repeated(text, size) + "k<1>";
      const auto count = static_cast<int>((std::size_t{1} << 20) / size);
      const auto begin = std::clock();
      for (int i = 0; i < count; ++i) static_cast<void>(read_cpp_name(name));
      return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    };
    EXPECT_LT(seconds(64'000), 4 * seconds(2'000) + 0.1) << text;
  }
}

}  // namespace
}  // namespace dlview::profile
