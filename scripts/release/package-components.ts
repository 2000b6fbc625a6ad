import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An npm package of which the published files contain something. */
export interface Component {
  readonly name: string
  readonly version: string
  /** SPDX expression. */
  readonly license: string
  /** Folder of the package, from the root. */
  readonly folder: string
  /** Texts of its licence and notice files. */
  readonly texts: readonly string[]
}

/** Licences that permit distribution with these notices. A package with another one fails the build. */
const knownLicenses = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', '(MPL-2.0 OR Apache-2.0)'])

/** The packages that own these source files, sorted by name and version. */
export function findComponents(root: string, files: Iterable<string>): Component[] {
  const folders = new Set<string>()
  for (const file of files) {
    const folder = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]
    if (folder !== undefined) folders.add(folder)
  }
  // npm may install one version in several folders.
  const components = [...folders].sort().map((folder) => readComponent(root, folder))
  const byId = new Map(components.map((component) => [`${component.name}@${component.version}`, component]))
  return [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component)
}

function readComponent(root: string, folder: string): Component {
  const { name, version, license, author } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  if (!knownLicenses.has(license))
    throw new Error(`${folder} has the licence ${license}. Check it, and add it to scripts/release/package-components.ts.`)
  const names = readdirSync(join(root, folder)).sort()
  const read = (file: string) =>
    readFileSync(join(root, folder, file), 'utf8')
      .replaceAll('\r\n', '\n')
      .trim()
  const texts = names.filter((file) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(file)).map(read)
  if (texts.length > 0) return { name, version, license, folder, texts }
  // Some packages state their licence at the end of their README only.
  const readme = names.find((file) => /^readme/i.test(file))
  const stated =
    readme === undefined
      ? undefined
      : read(readme)
          .split(/^#+ *licen[cs]e\b.*$/im)[1]
          ?.trim()
  const holder = typeof author === 'string' ? author : author?.name
  return { name, version, license, folder, texts: [stated || license, ...(holder ? [`Author: ${holder}`] : [])] }
}

/** The notices of all packages, equal texts once. */
export function noticesPage(components: readonly Component[]): string {
  const byText = Map.groupBy(components, ({ texts }) => texts.join('\n\n'))
  const sections = [...byText].map(([text, users]) => {
    const list = users.map(({ name, version, license }) => `- ${name} ${version} (${license})`)
    return `${list.join('\n')}\n\n${text.replace(/^/gm, '    ').replaceAll(/[ \t]+$/gm, '')}`
  })
  return `${intro}\n\n${sections.join('\n\n---\n\n')}\n`
}

const intro = `# Third-party licences

The files of this package contain code of the following packages, each followed by its licence.`
