import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The `package.json` of the published package. */
export function packageManifest(root: string) {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const { name, version, description, keywords, license, type, bin } = read('packages/millrace/package.json')
  return {
    name,
    version,
    description,
    keywords,
    license,
    type,
    bin,
    exports: {
      './client': { types: './client/index.d.ts', default: './client/index.js' },
      './package.json': './package.json',
    },
    files: ['bin', 'client', 'dist', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES.md'],
    sideEffects: false,
    engines: read('package.json').engines,
    optionalDependencies: nodePackages(root),
  }
}

/** The packages that bring Node 24, with their versions. */
export function nodePackages(root: string): Record<string, string> {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const found = Object.entries<string>(optionalDependencies).filter(([name]) => /^node-(?:linux|darwin|win)-/.test(name))
  return Object.fromEntries(found)
}
