// The differences of two texts, as lists of {value, added, removed, count}.
export { diffLines, diffWordsWithSpace } from "diff";
