import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copiedFolders, copyPath, decisionsPage, filesPage, imagePath, resolveLink } from './links.ts'
import { readMarkdown } from './markdown.ts'
import { listPages, type SitePage } from './pages.ts'

/**
 * Writes a folder that VitePress can build: the pages at their place in the site, the pictures beside them, and below `public` a copy of each file
 * of the repository that a page links to. Leaves files alone that have not changed, so that a development server reloads only what changed.
 */
export function stagePages(root: string, folder: string): void {
  const pages = listPages(root)
  const copy = (from: string, to: string) => writeIfChanged(join(folder, to), readFileSync(join(root, from)))
  for (const { source, path } of pages) copy(source, path)
  const targets = pages.flatMap((page) => linkTargets(root, page))
  for (const { path } of targets.filter(({ isImage }) => isImage)) copy(path, imagePath(path))
  const isPage = new Set(pages.map(({ source }) => source))
  const linked = targets.filter(({ path, isImage }) => !isImage && !isPage.has(path) && isFile(join(root, path))).map(({ path }) => path)
  const copied = copiedFolders.flatMap((name) => listFiles(root, name))
  for (const path of new Set([...copied, ...linked])) copy(path, join('public', copyPath(path)))
  copy('packages/dashboard/public/logo.svg', 'public/logo.svg')
  writeIfChanged(join(folder, filesPage), filesText(copied))
  writeIfChanged(join(folder, decisionsPage), decisionsText(pages))
}

/** Writes a file and its folders. A file with the same content keeps its date. */
export function writeIfChanged(path: string, content: string | Buffer): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

function linkTargets(root: string, { source }: SitePage): { path: string; isImage: boolean }[] {
  const { links } = readMarkdown(readFileSync(join(root, source), 'utf8'))
  return links.flatMap(({ href, isImage }) => {
    const target = resolveLink(source, href)
    return target ? [{ path: target.path, isImage }] : []
  })
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

const listFiles = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => isFile(join(root, path)))
    .sort()

function filesText(paths: readonly string[]): string {
  const byFolder = Map.groupBy(paths, (path) => dirname(path))
  const sections = [...byFolder].map(([folder, files]) => `## ${folder}\n\n${files.map((path) => `- [${path}](/${copyPath(path)})`).join('\n')}\n`)
  return `# Configuration files\n\nThe files of the folder \`deploy\` of the repository, to read and to copy.\n\n${sections.join('\n')}`
}

function decisionsText(pages: readonly SitePage[]): string {
  const decisions = pages.filter(({ source }) => source.startsWith('docs/adr/'))
  const list = decisions.map(({ title, path }) => `- [${title}](/${path})`).join('\n')
  return `# Decisions\n\nWhy Millrace is built the way it is: one page for each choice that a newcomer would question.\n\n${list}\n`
}
