import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isExecuted } from './check-page.ts'
import type { Block, Page } from './page-blocks.ts'

/** Replaces addresses of the documentation by those of the page's server. */
export type Substitute = (text: string) => string

const endings: Readonly<Record<string, string>> = { python: 'py', ts: 'mts', js: 'mjs' }
const programs: Readonly<Record<string, string>> = { python: 'python', ts: 'node', js: 'node' }

export const outputFile = (folder: string, index: number): string => join(folder, `output-${index}`)

/**
 * Writes a bash script that runs the blocks of a page one after the other in one shell, so that variables and the folder carry on. File descriptor 3
 * reports the index of each block that begins. After a background block the script waits for a line on file descriptor 4.
 */
export function writePageScript(page: Page, folder: string, substitute: Substitute): string {
  // Several pages may follow each other in one environment.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, `${substitute(text)}\n`)
    return path
  }
  const steps = page.blocks.flatMap((block, index) => {
    const before =
      block.before === '' ? [] : [`begin ${index} before`, `source ${quote(write(`before-${index}.sh`, block.before))} ${redirection(folder, index)}`]
    return [...before, ...blockSteps(block, index, folder, write)]
  })
  return write('page.sh', ['set -e', `begin() { echo "$*" >&3; }`, ...steps, 'begin end'].join('\n'))
}

function blockSteps(block: Block, index: number, folder: string, write: (name: string, text: string) => string): string[] {
  if (block.file !== undefined) {
    const path = write(`file-${index}`, block.text)
    return [`begin ${index}`, `mkdir -p "$(dirname ${quote(block.file)})" && cp ${quote(path)} ${quote(block.file)}`]
  }
  if (!isExecuted(block)) return []
  const script =
    block.language === 'sh'
      ? write(`block-${index}.sh`, block.text)
      : write(`run-${index}.sh`, `${programs[block.language]} ${quote(write(`program-${index}.${endings[block.language]}`, block.text))}`)
  const run = `source ${quote(script)}`
  const into = redirection(folder, index)
  if (block.background) return [`{ set +e; ( set -e; ${run} ) ${into}; begin ${index} ended $?; } &`, `begin ${index} background`, 'read -r <&4']
  // In a subshell whose status is not tested: `set -e` has no effect in a tested one.
  if (block.fails)
    return [
      `begin ${index}`,
      'set +e',
      `( set -e; ${run} ) ${into}`,
      'status=$?',
      'set -e',
      `if [ $status = 0 ]; then begin ${index} succeeded; exit 1; fi`,
    ]
  return [`begin ${index}`, `${run} ${into}`]
}

const redirection = (folder: string, index: number): string => `>>${quote(outputFile(folder, index))} 2>&1 </dev/null 3>&- 4<&-`

export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
