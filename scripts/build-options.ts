import type { BuildOptions, Metafile } from 'esbuild'
import { repositoryRoot } from './repository.ts'

/** Options of all bundles that run on the Node of Millrace. */
export const bundleOptions = {
  // Paths in the bundle are relative to the root, wherever the build starts.
  absWorkingDir: repositoryRoot,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // Keeps names and lines in stack traces and profiles. Node keeps the text in memory, with two bytes for each character if one of them is not ASCII. esbuild
  // escapes those in strings, not in regular expressions.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
  // An optional native driver of pg, which Millrace does not use.
  external: ['pg-native'],
  // CommonJS packages load Node modules with `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'error',
} as const satisfies BuildOptions

/** The source files, from the root, of which a bundle contains something. */
export const bundledFiles = ({ outputs }: Metafile): string[] =>
  Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0))
