// with_fields(): calls a function with all data members of a struct, in declaration order, for code
// that must visit every member, such as the cache and its layout. Members are listed only in the
// struct: a new one is visited without further changes.
#pragma once

#include <type_traits>

namespace dlview::base {

// The types that with_fields() accepts: aggregates without base classes, with at most 30 members,
// each initialized by {}.
template <typename T>
concept Struct = std::is_class_v<T> && std::is_aggregate_v<T>;

#define DLVIEW_UNPACK(...) __VA_ARGS__
// The member count is the largest number of {} that can initialize the struct, so the longest list
// is tried first.
#define DLVIEW_MEMBERS(empty, ...)                          \
  if constexpr (requires { Plain{DLVIEW_UNPACK empty}; }) { \
    auto& [__VA_ARGS__] = value;                            \
    use(__VA_ARGS__);                                       \
  } else

// Calls use(member, member, ...) once; not at all for a struct without members. `value` may be
// const. A struct with a base class needs a with_fields() of its own, which argument-dependent
// lookup finds and which may call `use` once for each of them.
template <typename T, typename Use>
requires Struct<std::remove_const_t<T>>
void with_fields(T& value, Use&& use) {
  using Plain = std::remove_const_t<T>;
  static_assert(
      !requires {
        Plain{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
              {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
      },
      "with_fields() supports at most 30 members");
  // clang-format off
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9, m10)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8, m9)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7, m8)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6, m7)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}, {}), m1, m2, m3, m4, m5, m6)
  DLVIEW_MEMBERS(({}, {}, {}, {}, {}), m1, m2, m3, m4, m5)
  DLVIEW_MEMBERS(({}, {}, {}, {}), m1, m2, m3, m4)
  DLVIEW_MEMBERS(({}, {}, {}), m1, m2, m3)
  DLVIEW_MEMBERS(({}, {}), m1, m2)
  DLVIEW_MEMBERS(({}), m1)
  static_assert(std::is_empty_v<Plain>);
  // clang-format on
}

#undef DLVIEW_MEMBERS
#undef DLVIEW_UNPACK

}  // namespace dlview::base
