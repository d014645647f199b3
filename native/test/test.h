// A test is a sentence and a body. Expectations print where they stand and go on; main.cc runs everything and
// counts. Each test must leave as many descriptors open as it found.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <sstream>
#include <string>

namespace sbx::test {

struct Case {
  const char* file;
  int line;
  const char* sentence;
  void (*run)();
  Case* next = nullptr;

  Case(const char* file, int line, const char* sentence, void (*run)());
};

void Fail(const char* file, int line, const std::string& what);

template <typename Value>
std::string Shown(const Value& value) {
  std::ostringstream out;
  out << +value;
  return out.str();
}
inline std::string Shown(const std::string& value) { return '"' + value + '"'; }

template <typename Left, typename Right>
void ExpectEqual(const char* file, int line, const char* text, const Left& got, const Right& expected) {
  if (!(got == expected))
    Fail(file, line, std::string(text) + " is " + Shown(got) + ", expected " + Shown(expected));
}

// Descriptors of this process that are open now.
size_t OpenDescriptors();

}  // namespace sbx::test

#define SBX_JOIN_(a, b) a##b
#define SBX_JOIN(a, b) SBX_JOIN_(a, b)
#define TEST(sentence)                                         \
  static void SBX_JOIN(Test, __LINE__)();                      \
  static ::sbx::test::Case SBX_JOIN(kCase, __LINE__)(          \
      __FILE__, __LINE__, sentence, SBX_JOIN(Test, __LINE__)); \
  static void SBX_JOIN(Test, __LINE__)()

#define EXPECT(condition)                                                           \
  do {                                                                              \
    if (!(condition)) ::sbx::test::Fail(__FILE__, __LINE__, "not so: " #condition); \
  } while (0)
#define EXPECT_EQ(got, expected) ::sbx::test::ExpectEqual(__FILE__, __LINE__, #got, got, expected)
// For what the rest of the test stands on.
#define REQUIRE(condition)                                                                 \
  do {                                                                                     \
    if (!(condition)) return ::sbx::test::Fail(__FILE__, __LINE__, "not so: " #condition); \
  } while (0)
