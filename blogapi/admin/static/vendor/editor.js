var t=()=>{throw new Error("not written yet")};export{t as createEditor};
