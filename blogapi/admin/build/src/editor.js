export const createEditor = () => { throw new Error("not written yet"); };
