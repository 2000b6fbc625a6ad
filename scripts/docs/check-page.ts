import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../repository.ts'
import type { RejectCommand } from './command-line.ts'
import { languages } from './languages.ts'
import type { Block, Page } from './page-blocks.ts'
import { programOf, splitShellCommands } from './shell-commands.ts'

/** Everything that is wrong with the code blocks of pages and can be seen without executing them. */
export async function pageProblems(pages: readonly Page[], rejectCommand: RejectCommand): Promise<string[]> {
  // One process for all pages: one for each takes longer than everything else.
  const shell = pages.flatMap(({ blocks }) => blocks.flatMap(shellTextsOf)).join('\n')
  const isValidShell = (await bashSyntaxError(shell)) === undefined
  const problems: string[] = []
  for (const page of pages) problems.push(...(await problemsOf(page, rejectCommand, isValidShell)))
  return problems
}

async function problemsOf(page: Page, rejectCommand: RejectCommand, isValidShell: boolean): Promise<string[]> {
  const found: string[] = []
  for (const [index, block] of page.blocks.entries()) {
    const problems = [...misplacedWords(block, page.blocks[index - 1]), ...(await syntaxProblems(block, isValidShell))]
    for (const text of shellTextsOf(block)) problems.push(...(await commandProblems(text, rejectCommand)))
    found.push(...problems.map((problem) => `${page.path}:${block.line}: ${problem}`))
  }
  return [...page.problems, ...found]
}

/** Whether the block is executed when the page runs. A Python or TypeScript block is a program of its own unless it is a file. */
export const isExecuted = (block: Block): boolean =>
  block.notExecuted === undefined &&
  (languages[block.language]?.kind === 'shell' || (languages[block.language]?.kind === 'program' && block.file === undefined))

function misplacedWords(block: Block, above: Block | undefined): string[] {
  const { language, file, background, fails, output, notExecuted } = block
  const kind = languages[language]?.kind
  if (kind === undefined) return language === '' ? [] : [`unknown language "${language}": ${Object.keys(languages).join(', ')}`]
  const problems: string[] = []
  if (kind === 'shell' && file !== undefined) problems.push('a shell block is executed and cannot be a file')
  if (kind === 'data' && (background || fails || notExecuted !== undefined)) problems.push(`a ${language} block is not executed anyway`)
  if (background && fails) problems.push('a block is either "background" or "fails"')
  if (output && kind !== 'data') problems.push(`"output" is for text and data, not for ${language}`)
  if (output && (above === undefined || !isExecuted(above))) problems.push('"output" needs an executed block directly above')
  if (file !== undefined && (file.startsWith('/') || file.split('/').includes('..')))
    problems.push(`the file "${file}" is outside of the page's folder`)
  return problems
}

const shellTextsOf = ({ language, text, before }: Block): string[] =>
  [before, ...(languages[language]?.kind === 'shell' ? [text] : [])].filter((each) => each !== '')

async function syntaxProblems(block: Block, isValidShell: boolean): Promise<string[]> {
  const problems: string[] = []
  const { parse } = languages[block.language] ?? {}
  try {
    // Output may leave parts out with "…".
    if (!(block.output && block.text.includes('…'))) parse?.(block.text)
  } catch (error) {
    problems.push(`not valid ${block.language}: ${(error as Error).message}`)
  }
  for (const text of isValidShell ? [] : shellTextsOf(block)) {
    const message = await bashSyntaxError(text)
    if (message !== undefined) problems.push(`not valid shell: ${message}`)
  }
  return problems
}

const bashSyntaxError = (text: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const child = execFile('bash', ['-n'], (error, _, stderr) => resolve(error ? stderr.trim() : undefined))
    child.stdin?.end(`${text}\n`)
  })

let scripts: Readonly<Record<string, string>> | undefined

async function commandProblems(text: string, rejectCommand: RejectCommand): Promise<string[]> {
  const problems: string[] = []
  for (const words of splitShellCommands(text)) {
    const { program, args = [] } = programOf(words) ?? {}
    if (program === 'millrace') {
      const reason = await rejectCommand(args)
      if (reason !== undefined) problems.push(`millrace ${args.join(' ')}: ${reason}`)
    } else if (program === 'npm' && ['run', 'start', 'test'].includes(args[0] ?? '')) {
      scripts ??= JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).scripts as Record<string, string>
      const name = args[0] === 'run' ? args[1] : args[0]
      if (name === undefined || !Object.hasOwn(scripts, name)) problems.push(`npm run ${name}: package.json has no such script`)
    }
  }
  return problems
}
