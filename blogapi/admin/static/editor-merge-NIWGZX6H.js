import{c as a,d as b,e as c,f as d}from"./editor-chunk-NR2YZ4OL.js";import"./editor-chunk-WTMGBYGL.js";export{b as makeOffsetMap,a as mergeEdits,c as mergeLines,d as write};
