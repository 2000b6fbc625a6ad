import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = 'http://127.0.0.1:4200'

export default defineConfig({
  // Relative, so that one build serves below any path: the server says which by a <base> in the page.
  base: './',
  root: import.meta.dirname,
  plugins: [
    tanstackRouter({
      target: 'react',
      autoCodeSplitting: true,
      routesDirectory: './src/routes',
      // Beside the sources, not among them: nobody reads or styles it.
      generatedRouteTree: './generated/route-tree.ts',
      quoteStyle: 'single',
      // Beside `runs/flow-run.$id.tsx` stands `runs/home.tsx`; "index" says nothing.
      indexToken: 'home',
      addExtensions: true,
    }),
    react(),
    tailwindcss(),
  ],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // For `npx vite packages/dashboard`, beside a running server.
  server: { port: 4300, proxy: { '/api': { target: server, ws: true } } },
})
