// How different two colors look, with normal vision or with one kind of cones missing.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace dlview::testing {

enum class ColorVision : uint8_t { normal, protanopia, deuteranopia, tritanopia };
inline constexpr std::array kColorVisions{ColorVision::normal, ColorVision::protanopia,
                                          ColorVision::deuteranopia, ColorVision::tritanopia};

using Triple = std::array<double, 3>;

// Linear RGB of a color 0xAABBGGRR.
inline Triple linear_rgb(uint32_t color) {
  Triple rgb{};
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    const double value = static_cast<double>(color >> (8 * i) & 0xffu) / 255;
    rgb[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

inline Triple multiplied(const std::array<Triple, 3>& matrix, const Triple& by) {
  Triple result{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 3; ++i) result[row] += matrix[row][i] * by[i];
  }
  return result;
}

// The matrices of Machado, Oliveira and Fernandes (2009) for severity 1, on linear RGB.
inline Triple as_seen(const Triple& rgb, ColorVision vision) {
  constexpr std::array<std::array<Triple, 3>, 3> kMatrices{{
      {{{0.152286, 1.052583, -0.204868},
        {0.114503, 0.786281, 0.099216},
        {-0.003882, -0.048116, 1.051998}}},
      {{{0.367322, 0.860646, -0.227968},
        {0.280085, 0.672501, 0.047413},
        {-0.011820, 0.042940, 0.968881}}},
      {{{1.255528, -0.076749, -0.178779},
        {-0.078411, 0.930809, 0.147602},
        {0.004733, 0.691367, 0.303900}}},
  }};
  if (vision == ColorVision::normal) return rgb;
  Triple seen = multiplied(kMatrices[static_cast<std::size_t>(vision) - 1], rgb);
  for (double& value : seen) value = std::clamp(value, 0.0, 1.0);
  return seen;
}

// CIE Lab (D65) of linear sRGB.
inline Triple lab_of(const Triple& rgb) {
  constexpr std::array<Triple, 3> kToXyz{{{0.4124564, 0.3575761, 0.1804375},
                                          {0.2126729, 0.7151522, 0.0721750},
                                          {0.0193339, 0.1191920, 0.9503041}}};
  const Triple xyz = multiplied(kToXyz, rgb);
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// The CIEDE2000 difference of two Lab colors.
inline double ciede2000(const Triple& first, const Triple& second) {
  constexpr double kDegree = std::numbers::pi / 180;
  const auto pow7 = [](double value) { return std::pow(value, 7); };
  const double mean_chroma =
      (std::hypot(first[1], first[2]) + std::hypot(second[1], second[2])) / 2;
  const double stretch = 1.5 - 0.5 * std::sqrt(pow7(mean_chroma) / (pow7(mean_chroma) + pow7(25)));
  const double a1 = first[1] * stretch, a2 = second[1] * stretch;
  const double chroma1 = std::hypot(a1, first[2]), chroma2 = std::hypot(a2, second[2]);
  const auto angle = [](double b, double a) {
    const double degrees = a == 0 && b == 0 ? 0 : std::atan2(b, a) / kDegree;
    return degrees < 0 ? degrees + 360 : degrees;
  };
  const double hue1 = angle(first[2], a1), hue2 = angle(second[2], a2);
  const bool is_gray = chroma1 * chroma2 == 0;
  double turn = is_gray ? 0 : hue2 - hue1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  double hue = hue1 + hue2;
  if (!is_gray) {
    if (std::abs(hue1 - hue2) > 180) hue += hue < 360 ? 360 : -360;
    hue /= 2;
  }
  const double light = (first[0] + second[0]) / 2, chroma = (chroma1 + chroma2) / 2;
  const double t = 1 - 0.17 * std::cos((hue - 30) * kDegree) + 0.24 * std::cos(2 * hue * kDegree) +
                   0.32 * std::cos((3 * hue + 6) * kDegree) -
                   0.20 * std::cos((4 * hue - 63) * kDegree);
  const double from_50 = (light - 50) * (light - 50);
  const double l = (second[0] - first[0]) / (1 + 0.015 * from_50 / std::sqrt(20 + from_50));
  const double c = (chroma2 - chroma1) / (1 + 0.045 * chroma);
  const double h =
      2 * std::sqrt(chroma1 * chroma2) * std::sin(turn / 2 * kDegree) / (1 + 0.015 * chroma * t);
  const double around_blue = (hue - 275) / 25;
  const double rotation = -2 * std::sqrt(pow7(chroma) / (pow7(chroma) + pow7(25))) *
                          std::sin(60 * std::exp(-around_blue * around_blue) * kDegree);
  return std::sqrt(l * l + c * c + h * h + rotation * c * h);
}

// CIEDE2000 of two colors 0xAABBGGRR: 1 is just visible, 10 is seen at a glance.
inline double color_difference(uint32_t a, uint32_t b, ColorVision vision) {
  return ciede2000(lab_of(as_seen(linear_rgb(a), vision)), lab_of(as_seen(linear_rgb(b), vision)));
}

}  // namespace dlview::testing
