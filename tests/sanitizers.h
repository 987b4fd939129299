// SESTINA_HAS_SANITIZER: whether this is compiled with the address sanitizer, by g++ or clang++.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define SESTINA_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SESTINA_HAS_SANITIZER 1
#endif
#endif
