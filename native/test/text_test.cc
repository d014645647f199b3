#include "../common/text.h"

#include "test.h"

namespace sbx::test {
namespace {

TEST("numbers are written in decimal, from 0 to the largest") {
  EXPECT_EQ(std::string(Decimal(0).text()), std::string("0"));
  EXPECT_EQ(std::string(Decimal(9).text()), std::string("9"));
  EXPECT_EQ(std::string(Decimal(10).text()), std::string("10"));
  EXPECT_EQ(std::string(Decimal(1'000'000'007).text()), std::string("1000000007"));
  EXPECT_EQ(std::string(Decimal(UINT64_MAX).text()), std::string("18446744073709551615"));
}

TEST("every power of ten and its neighbours is written as the library does") {
  uint64_t value = 1;
  for (int i = 0; i < 20; ++i, value *= 10)
    for (const uint64_t near : {value - 1, value, value + 1})
      EXPECT_EQ(std::string(Decimal(near).text()), std::to_string(near));
}

TEST("text that fits is whole") {
  Text<8> text;
  text << "ab" << (uint64_t)123 << "" << "cd";
  EXPECT_EQ(std::string(text.text()), std::string("ab123cd"));
  EXPECT_EQ(text.size(), (size_t)7);
  EXPECT(text.ok());
}

TEST("text that is one too long is cut, ended and says so") {
  Text<8> text;
  text << "abcdefgh";
  EXPECT_EQ(std::string(text.text()), std::string("abcdefg"));
  EXPECT(!text.ok());
}

TEST("what follows a cut is cut too") {
  Text<4> text;
  text << "abc" << (uint64_t)UINT64_MAX << "x";
  EXPECT_EQ(std::string(text.text()), std::string("abc"));
  EXPECT_EQ(text.size(), (size_t)3);
  EXPECT(!text.ok());
}

TEST("empty text is text") {
  Text<1> text;
  EXPECT_EQ(std::string(text.text()), std::string());
  EXPECT((text << "").ok());
  EXPECT(!(text << "a").ok());
}

TEST("lengths and prefixes stop at the NUL") {
  EXPECT_EQ(Length(""), (size_t)0);
  EXPECT_EQ(Length("abc\0def"), (size_t)3);
  EXPECT(StartsWith("file 12", "file "));
  EXPECT(StartsWith("anything", ""));
  EXPECT(!StartsWith("fil", "file "));
  EXPECT(!StartsWith("", "a"));
}

}  // namespace
}  // namespace sbx::test
