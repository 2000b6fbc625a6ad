import { CommandError } from '../errors.ts'
import { toSingleLine } from '../output/text-width.ts'

export type Path = readonly (string | number)[]

/** Something that is wrong in a file. */
export interface Problem {
  readonly file: string
  readonly line: number
  readonly path: Path
  readonly message: string
}

const plainKey = /^[\w-]+$/

/** `deployments[3].parameters["a b"]` */
export function pathText(path: Path): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (plainKey.test(step)) text += text === '' ? step : `.${step}`
    else text += `[${JSON.stringify(step)}]`
  }
  return text
}

const shownProblemsMax = 50

/** Ends the command with all problems of its files, in the order of the files. */
export function failWith(problems: readonly Problem[]): never {
  const sorted = [...new Set(problems)].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
  const lines = sorted.slice(0, shownProblemsMax).map(({ file, line, path, message }) => {
    const place = path.length === 0 ? '' : `${pathText(path)}: `
    return `  ${toSingleLine(`${file}:${line}: ${place}${message}`)}`
  })
  const more = sorted.length > shownProblemsMax ? [`  … and ${sorted.length - shownProblemsMax} more`] : []
  const count = sorted.length === 1 ? '1 problem' : `${sorted.length} problems`
  throw new CommandError([`Cannot import: ${count}. Nothing was changed.`, ...lines, ...more].join('\n'))
}
