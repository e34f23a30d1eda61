import { defineConfig } from "vitest/config";

// The server sends a strict content security policy: one script, one style sheet, nothing inline.
export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    outDir: "../src/hyperdive/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/explorer-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8765" } },
  test: { include: ["tests/**/*.test.{ts,tsx}"] },
});
