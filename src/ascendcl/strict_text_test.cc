#include "ascendcl/strict_text.h"

#include <gtest/gtest.h>

#include <string>

namespace aclnn_cpu {
namespace {

std::string Quoted(std::string_view value) {
  FixedText<100> text;
  AddQuoted(text, value);
  return std::string(text.view());
}

TEST(StrictTextTest, WhatDoesNotFitIsCutOff) {
  FixedText<5> text;
  text.Add("{}", 123);
  text.Add("{}", 456);
  text.AddChar('x');
  EXPECT_EQ(text.view(), "12345");
  EXPECT_EQ(text.room(), 0U);
}

TEST(StrictTextTest, QuotesBackslashesAndControlCharactersAreEscaped) {
  EXPECT_EQ(Quoted("a\"b\\c\nd"), R"("a\"b\\c\u000ad")");
}

TEST(StrictTextTest, CharactersOfAllLengthsPass) {
  const std::string text =
      "\x7f \xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xf0\x90\x80\x80 "
      "\xf4\x8f\xbf\xbf";
  EXPECT_EQ(Quoted(text), '"' + text + '"');
}

// The table of well-formed byte sequences of the Unicode standard, from its edges.
TEST(StrictTextTest, BytesThatAreNoUtf8AreReplacedOneByOne) {
  EXPECT_EQ(Quoted("\x80"), R"("\ufffd")");
  EXPECT_EQ(Quoted("\xc1\xbf"), R"("\ufffd\ufffd")");
  EXPECT_EQ(Quoted("\xe0\x9f\xbf"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(Quoted("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(Quoted("\xf0\x8f\xbf\xbf"), R"("\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(Quoted("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(Quoted("\xf5"), R"("\ufffd")");
  EXPECT_EQ(Quoted("a\xc3"), R"("a\ufffd")");
  EXPECT_EQ(Quoted("\xe2\x82z"), R"("\ufffd\ufffdz")");
}

}  // namespace
}  // namespace aclnn_cpu
