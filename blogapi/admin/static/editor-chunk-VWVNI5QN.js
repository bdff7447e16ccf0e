function i({key:r,isComposing:o},d,e){let n={ArrowDown:1,ArrowUp:e-1}[r];return o||n===void 0||!e?void 0:(d+n)%e}export{i as a};
