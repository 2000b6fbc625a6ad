import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { readSource } from '../repository.ts'
import { listImports } from './imports.ts'

const serverFolder = 'packages/server/src'

/** The most files that a reader has to open to follow a walk. The headings are those of ARCHITECTURE.md. */
const walkLengthsMax: Readonly<Record<string, number>> = {
  'A client proposes a state': 10,
  'A worker polls': 5,
  'An event fires an automation': 8,
  'A page lists runs': 6,
}

interface Step {
  readonly path: string
  /** The step takes over through the event log and not by a call, so that nothing before it imports it. */
  readonly isDetached: boolean
}

/** A line for every statement of ARCHITECTURE.md that the source contradicts. */
export function mapViolations(root: string, text: string): string[] {
  return [
    ...roomViolations(root, text),
    ...Object.entries(walkLengthsMax).flatMap(([title, lengthMax]) => walkViolations(root, text, title, lengthMax)),
  ]
}

function roomViolations(root: string, text: string): string[] {
  const map = /```(?:text)?\n(packages\/[\s\S]*?)```/.exec(text)?.[1] ?? ''
  // `config.ts  config/` is one line for a file and its folder.
  const listed = new Set([...map.matchAll(/^ {2}([\w-]+)[/.]/gm)].map(([, name]) => name as string))
  const rooms = readdirSync(join(root, serverFolder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  return [
    ...rooms.filter((room) => !listed.has(room)).map((room) => `${serverFolder}/${room} is missing from the map`),
    ...[...listed]
      .filter((name) => !rooms.includes(name) && !existsSync(join(root, serverFolder, `${name}.ts`)))
      .map((name) => `the map lists ${name}, which does not exist in ${serverFolder}`),
  ]
}

function walkViolations(root: string, text: string, title: string, lengthMax: number): string[] {
  const section = text.split(/^### /m).find((part) => part.startsWith(`${title}\n`))
  if (section === undefined) return [`the walk "${title}" is missing`]
  const steps = [...section.matchAll(/^\d+\. `([^`]+)`(.*)$/gm)].map(
    ([, path = '', rest = '']): Step => ({ path: `${serverFolder}/${path}`, isDetached: rest.includes('reads the event log') }),
  )
  const missing = steps.filter(({ path }) => !existsSync(join(root, path)))
  if (missing.length > 0) return missing.map(({ path }) => `${title}: there is no ${path}`)
  const imported = new Set<string>()
  const found = steps.length > lengthMax ? [`${title}: ${steps.length} files, at most ${lengthMax} are allowed`] : []
  for (const [index, { path, isDetached }] of steps.entries()) {
    if (index > 0 && !isDetached && !imported.has(path)) found.push(`${title}: no earlier file imports ${path}`)
    for (const { specifier } of listImports(readSource(root, path), path)) {
      if (specifier.startsWith('.')) imported.add(normalize(join(dirname(path), specifier)))
    }
  }
  return steps.length === 0 ? [`${title}: no files are listed`] : found
}
