import { stateChoices } from '@millrace/client/vocabulary/states.ts'
import type { Argument, Command, Option } from 'commander'
import { buildProgram, firstWords } from './build-program.ts'
import type { Io } from './io.ts'
import { profilePath, readProfiles } from './profiles.ts'

/** A word that the shell offers. */
interface Candidate {
  readonly value: string
  readonly description?: string
}

/** Makes the shell offer files. */
const files = ':files'

/** Values by the name of the argument in the help: `<state>`. */
const valuesByName: Readonly<Record<string, readonly string[]>> = { state: stateChoices, path: [files], file: [files], SOURCE: [files] }

/** Lines for the scripts of `millrace completion`: a word and its description, or `:files`. The last of `words` is the one to complete. */
export async function completeWords(words: readonly string[], io: Io): Promise<string[]> {
  const { program } = await buildProgram(io, firstWords(words))
  const candidates = findCandidates(program, words, io)
  return candidates.map(({ value, description = '' }) => (description === '' ? value : `${value}\t${description}`))
}

function findCandidates(program: Command, words: readonly string[], io: Io): Candidate[] {
  // Bash gives the `=` of `--output=json` as a word of its own.
  const current = words.at(-1) === '=' ? '' : (words.at(-1) ?? '')
  const { command, option, positional } = walk(program, words.slice(0, -1))
  const startsWithCurrent = ({ value }: Candidate) => value === files || value.startsWith(current)
  if (option) return valuesOf(option, io).filter(startsWithCurrent)
  const [, flag, prefix] = /^((--[^=]+)=)/.exec(current) ?? []
  if (flag !== undefined && prefix !== undefined) {
    const assigned = findOption(command, prefix)
    return assigned
      ? valuesOf(assigned, io)
          .map(({ value }) => ({ value: value === files ? value : `${flag}${value}` }))
          .filter(startsWithCurrent)
      : []
  }
  if (current.startsWith('-')) return optionsOf(command).filter(startsWithCurrent)
  if (command.commands.length > 0) {
    return command.commands.map((each) => ({ value: each.name(), description: each.summary() })).filter(startsWithCurrent)
  }
  const argument = command.registeredArguments[positional] ?? command.registeredArguments.findLast(({ variadic }) => variadic)
  return argument ? valuesOf(argument, io).filter(startsWithCurrent) : []
}

interface Position {
  readonly command: Command
  /** The option whose value comes next. */
  readonly option: Option | undefined
  /** Number of arguments of the command before the current word. */
  readonly positional: number
}

/** Follows the complete words to the command that they name. */
function walk(program: Command, words: readonly string[]): Position {
  let command = program
  let option: Option | undefined
  let positional = 0
  for (const word of words) {
    if (word === '=') continue
    if (option) {
      option = undefined
    } else if (word.startsWith('-')) {
      const found = word.includes('=') ? undefined : findOption(command, word)
      option = found?.required ? found : undefined
    } else {
      const next: Command | undefined = command.commands.find((each) => each.name() === word)
      positional = next ? 0 : positional + 1
      command = next ?? command
    }
  }
  return { command, option, positional }
}

function* withAncestors(command: Command): Generator<Command> {
  for (let each: Command | null = command; each; each = each.parent) yield each
}

function findOption(command: Command, flag: string): Option | undefined {
  for (const each of withAncestors(command)) {
    const found = each.options.find(({ short, long }) => flag === short || flag === long)
    if (found) return found
  }
  return undefined
}

function optionsOf(command: Command): Candidate[] {
  const options = [...withAncestors(command)].flatMap((each) =>
    each.options.filter(({ hidden, long }) => !hidden && (long !== '--version' || each === command)),
  )
  const shown = options.map(({ long, short, description }) => ({ value: long ?? short ?? '', description }))
  return [...shown, { value: '--help', description: 'show help' }]
}

function valuesOf(target: Option | Argument, io: Io): Candidate[] {
  const name = 'flags' in target ? (/<([^>.]+)/.exec(target.flags)?.[1] ?? '') : target.name()
  if (target.argChoices) return target.argChoices.map((value) => ({ value }))
  if ('flags' in target && target.long === '--profile') return profileNames(io)
  return (valuesByName[name] ?? []).map((value) => ({ value }))
}

function profileNames({ env }: Io): Candidate[] {
  try {
    return Object.entries(readProfiles(profilePath(env)).profiles).map(([value, { url }]) => ({ value, description: url }))
  } catch {
    return []
  }
}
