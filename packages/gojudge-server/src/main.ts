// The command `sbx-gojudge`.
export {};
