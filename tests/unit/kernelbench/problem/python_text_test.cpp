#include "kernelbench/problem/python_text.hpp"

#include <gmock/gmock.h>

namespace autokernel::kernelbench {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(BlankStringsAndComments, KeepsCodeAndOffsets) {
  const std::string source = "a = 'text' # note\nb = 1\n";
  const std::string blanked = blank_strings_and_comments(source);
  EXPECT_EQ(blanked, "a =              \nb = 1\n");
  EXPECT_EQ(blanked.size(), source.size());
}

TEST(BlankStringsAndComments, SeesThroughTripleQuotesAndEscapes) {
  const std::string blanked = blank_strings_and_comments("\"\"\"class Model\n'''\"\"\"\nx = 'it\\'s' + r'\\'\ny = 2\n");
  EXPECT_THAT(blanked, Not(HasSubstr("Model")));
  EXPECT_THAT(blanked, HasSubstr("y = 2"));
}

TEST(BlankStringsAndComments, EndsAnUnclosedStringWithItsLineAndAnUnclosedTripleWithTheText) {
  EXPECT_THAT(blank_strings_and_comments("a = 'open\nb = 2"), HasSubstr("b = 2"));
  EXPECT_THAT(blank_strings_and_comments("a = '''open\nb = 2"), Not(HasSubstr("b")));
  EXPECT_EQ(blank_strings_and_comments("'\\").size(), 2U);
}

TEST(ModuleStatementStarts, SkipsIndentedLinesBracketsAndContinuations) {
  const std::string text = "a = (\nb\n)\n c = 1\nd = 1 + \\\ne\nf = 2\n";
  std::string starts;
  for (const std::size_t at : module_statement_starts(text)) starts += text[at];
  EXPECT_EQ(starts, "adf");
}

TEST(SeemsToDefine, KnowsClassesFunctionsAssignmentsAndImports) {
  EXPECT_TRUE(seems_to_define("class Model(nn.Module):", "Model"));
  EXPECT_TRUE(seems_to_define("    class Model:", "Model"));
  EXPECT_TRUE(seems_to_define("async def get_inputs():", "get_inputs"));
  EXPECT_TRUE(seems_to_define("get_inputs = make(3)", "get_inputs"));
  EXPECT_TRUE(seems_to_define("from other import Net as Model", "Model"));
  EXPECT_TRUE(seems_to_define("from other import *", "Model"));
}

TEST(SeemsToDefine, IsNotFooledByUsesAndLongerNames) {
  EXPECT_FALSE(seems_to_define("class ModelNew(nn.Module):", "Model"));
  EXPECT_FALSE(seems_to_define("x = Model(3)", "Model"));
  EXPECT_FALSE(seems_to_define("", "Model"));
}

}  // namespace
}  // namespace autokernel::kernelbench
