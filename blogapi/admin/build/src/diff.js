// The differences of two texts, as lists of {value, added, removed, count}.
export { diffArrays, diffChars, diffLines, diffWords, diffWordsWithSpace } from "diff";
