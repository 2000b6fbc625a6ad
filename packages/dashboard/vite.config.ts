import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = 'http://127.0.0.1:4200'

export default defineConfig({
  // Relative, so that one build works below any path. The server sets the path with a <base> element.
  base: './',
  root: import.meta.dirname,
  plugins: [
    tanstackRouter({
      target: 'react',
      autoCodeSplitting: true,
      routesDirectory: './src/routes',
      // Generated code stays outside `src`.
      generatedRouteTree: './generated/route-tree.ts',
      quoteStyle: 'single',
      // The first page of a section is `home.tsx`, which says more than `index.tsx`.
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
  // `npx vite packages/dashboard` needs a running server.
  server: { port: 4300, proxy: { '/api': { target: server, ws: true } } },
})
