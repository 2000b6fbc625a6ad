import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandError, UsageError } from './errors.ts'

/** A server and its credentials. */
export interface Profile {
  readonly url: string
  readonly auth_string?: string
  readonly key?: string
}

export interface ProfileFile {
  /** Name of the profile that is used without `--profile`. */
  readonly active: string | null
  readonly profiles: Readonly<Record<string, Profile>>
}

export const profilePath = (env: Readonly<Record<string, string | undefined>>): string => join(env.HOME || homedir(), '.millrace', 'profiles.json')

/** Reads the profiles. A missing file has none. */
export function readProfiles(path: string): ProfileFile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { active: null, profiles: {} }
    throw new CommandError(`Cannot read ${path} (${(error as NodeJS.ErrnoException).code})`)
  }
  try {
    const { active, profiles } = JSON.parse(text) as Partial<ProfileFile>
    return { active: active ?? null, profiles: profiles ?? {} }
  } catch {
    throw new CommandError(`${path} is not valid JSON. Correct it, or delete it and create the profiles again.`)
  }
}

/** Writes the profiles so that only their owner can read them: they hold passwords. */
export function writeProfiles(path: string, file: ProfileFile): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
}

export function findProfile({ profiles }: ProfileFile, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!profile) throw new UsageError(`No profile "${name}". \`millrace profile ls\` lists the profiles.`)
  return profile
}
