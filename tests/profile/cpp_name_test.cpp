#include "profile/cpp_name.h"

#include <string>

#include <gtest/gtest.h>

namespace dlview::profile {
namespace {

std::string normal(std::string_view demangled) {
  const std::optional<CppName> name = read_cpp_name(demangled);
  return name ? to_text(*name) : "no C++";
}

TEST(CppName, LosesReturnTypeAndParameters) {
  EXPECT_EQ(normal("void gemv2T_kernel<int, (int)128, (bool)0>(T1, const T2 *)"),
            "gemv2T_kernel<int, 128, 0>");
  EXPECT_EQ(normal("Fan1(float *, float *, int, int)"), "Fan1");
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

TEST(CppName, IsNoneOfFlatAndBrokenNames) {
  for (const char* text :
       {"", "ampere_sgemm_128x64_tn", "CUDA graph 3", "void k<float(T1)", "k<", "k<>>(", "::", "<>",
        "()", "void k<(int>(T1)", "operator", "[lambda", "a::(b"}) {
    EXPECT_EQ(normal(text), "no C++") << text;
  }
  std::string deep = "k";
  for (int i = 0; i < 100'000; ++i) deep += "<k";
  EXPECT_EQ(normal(deep), "no C++");
}

}  // namespace
}  // namespace dlview::profile
