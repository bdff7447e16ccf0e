"use client";

import { useEffect } from "react";
import { connectPreview } from "./blogapi.js";

export function ConnectPreview() {
  useEffect(connectPreview, []);
}
