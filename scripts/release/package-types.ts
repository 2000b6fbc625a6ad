import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'
import { clientEntry } from '../build-client.ts'
import { repositoryRoot } from '../repository.ts'
import { contractTypes, readContracts } from './contract-types.ts'

const clientSource = 'client/src'
const contractsFile = 'contracts.d.ts'

/** Writes the type declarations of the client into a folder. They need no other package. Returns the paths of the files in the folder. */
export async function writeClientTypes(folder: string): Promise<string[]> {
  const files = { ...(await emitDeclarations()), [contractsFile]: contractTypes(readContracts()) }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return Object.keys(files)
}

/** The declarations of the client by path, with imports that fit the package. */
async function emitDeclarations(): Promise<Record<string, string>> {
  const cache = join(repositoryRoot, '.cache')
  mkdirSync(cache, { recursive: true })
  const workshop = mkdtempSync(join(cache, 'client-types-'))
  try {
    const project = {
      extends: '../../tsconfig.json',
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        // `npm run check` checks them.
        noCheck: true,
        // The program includes the contracts, whose own declarations are not used.
        rootDir: '../../packages',
        outDir: 'out',
      },
      files: [`../../${clientEntry}`],
      include: [],
    }
    writeFileSync(join(workshop, 'tsconfig.json'), JSON.stringify(project))
    await compile(workshop)
    const out = join(workshop, 'out', clientSource)
    const paths = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.d.ts'))
    const entry = `${posix.basename(clientEntry, '.ts')}.d.ts`
    return Object.fromEntries(
      paths
        .map((path) => path.replaceAll('\\', '/'))
        .sort()
        .map((path) => [path === entry ? 'index.d.ts' : path, rewriteImports(path, readFileSync(join(out, path), 'utf8'))]),
    )
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

async function compile(folder: string): Promise<void> {
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error: { stdout?: string }) => {
    throw new Error(`The types of the client do not compile:\n${error.stdout}`)
  })
}

/** Points imports of the contracts to the generated file, and all others to the `.js` file beside the declarations. */
export function rewriteImports(path: string, text: string): string {
  const contracts = posix.relative(posix.dirname(path), posix.join('.', contractsFile)).replace(/\.d\.ts$/, '.js')
  const rewritten = text.replaceAll(/(\bfrom |\bimport\()(['"])([^'"]+)\2/g, (_, start: string, quote: string, specifier: string) => {
    const target = specifier.startsWith('@millrace/contracts/')
      ? contracts.startsWith('.')
        ? contracts
        : `./${contracts}`
      : specifier.replace(/\.ts$/, '.js')
    if (!target.startsWith('.')) throw new Error(`${path} needs the types of ${specifier}, which the package does not have`)
    return `${start}${quote}${target}${quote}`
  })
  // Several modules of the contracts become one.
  const seen = new Set<string>()
  return rewritten
    .split(/(?<=\n)/)
    .filter((line) => !/^export (?:type )?\* from/.test(line) || (!seen.has(line) && seen.add(line)))
    .join('')
}
