// Which sanitizer this build has.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define DLVIEW_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DLVIEW_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define DLVIEW_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DLVIEW_THREAD_SANITIZER 1
#endif
#endif

namespace dlview::base {

#if defined(DLVIEW_ADDRESS_SANITIZER) || defined(DLVIEW_THREAD_SANITIZER)
inline constexpr bool kHasSanitizer = true;
#else
inline constexpr bool kHasSanitizer = false;
#endif

}  // namespace dlview::base
