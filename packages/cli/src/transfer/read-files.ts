import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text as readStream } from 'node:stream/consumers'
import { CommandError } from '../errors.ts'
import type { Io } from '../io.ts'
import { readYaml, type YamlFile } from './yaml-reader.ts'

/** Reads a file, all YAML files of a folder, or stdin for `-`. */
export async function readFiles(path: string, io: Io): Promise<YamlFile[]> {
  if (path === '-') return [readYaml(await readStream(io.stdin as NodeJS.ReadableStream & AsyncIterable<Buffer>), 'stdin')]
  try {
    if (!statSync(path).isDirectory()) return [readYaml(readFileSync(path, 'utf8'), path)]
    const names = readdirSync(path)
      .filter((name) => /\.ya?ml$/.test(name))
      .sort()
    if (names.length === 0) throw new CommandError(`${path} contains no YAML files.`)
    return names.map((name) => readYaml(readFileSync(join(path, name), 'utf8'), join(path, name)))
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`Cannot read ${path} (${(error as NodeJS.ErrnoException).code})`)
  }
}
