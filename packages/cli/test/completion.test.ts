import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { newFolder } from '../../server/test/databases.ts'
import { commandGroups } from '../src/groups.ts'
import { runCli } from './cli-test.ts'

const launcher = fileURLToPath(new URL('../../millrace/bin/millrace.mjs', import.meta.url))

/** The words that the shell offers; the last argument is the one to complete. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, stdout } = await runCli(['__complete', ...words])
  expect(code).toBe(0)
  return stdout.split('\n').slice(0, -1)
}

const values = async (...words: string[]): Promise<string[]> => (await complete(...words)).map((line) => line.split('\t')[0] as string)

describe('candidates', () => {
  test('are all groups, with their summaries, for the first word', async () => {
    expect(await complete('')).toEqual(commandGroups.map(({ name, summary }) => `${name}\t${summary}`))
    expect(await values('work-')).toEqual(['work-pool', 'work-queue'])
  })

  test('are the commands of a group, also after global options', async () => {
    expect(await values('variable', '')).toEqual(['ls', 'get', 'set', 'delete'])
    expect(await values('-o', 'json', '--server', 'http://x', 'server', 'services', '')).toEqual(['ls', 'start'])
    expect(await values('--profile=x', 'variable', 'g')).toEqual(['get'])
  })

  test('are the options of a command and the global ones', async () => {
    expect(await values('variable', 'ls', '--')).toEqual(['--name', '--tag', '--limit', '--server', '--profile', '--output', '--no-color', '--help'])
    expect(await values('variable', 'ls', '--na')).toEqual(['--name'])
    expect(await values('--ver')).toEqual(['--version'])
  })

  test('are the values of an option', async () => {
    expect(await values('variable', 'ls', '-o', '')).toEqual(['table', 'wide', 'json', 'yaml'])
    expect(await values('variable', 'ls', '--output', 'y')).toEqual(['yaml'])
    expect(await values('variable', 'ls', '--output=j')).toEqual(['--output=json'])
    // As bash splits the words.
    expect(await values('variable', 'ls', '--output', '=', 'j')).toEqual(['json'])
    expect(await values('variable', 'ls', '--output', '=')).toEqual(['table', 'wide', 'json', 'yaml'])
    expect(await values('variable', 'ls', '--limit', '')).toEqual([])
  })

  test('are profiles for --profile', async () => {
    const env = { HOME: newFolder('home') }
    await runCli(['profile', 'create', 'prod', '--url', 'http://x'], { env })
    expect((await runCli(['__complete', '--profile', ''], { env })).stdout).toBe('prod\thttp://x/api\n')
  })

  test('are choices of arguments, and files where a path is expected', async () => {
    expect(await values('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(await values('dev', '--dotenv', '')).toEqual([':files'])
    expect(await values('adopt', '')).toEqual([':files'])
    expect(await values('variable', 'get', '')).toEqual([])
    expect(await values('nonsense', '')).not.toEqual([])
  })
})

test('prints a script for each shell', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    expect(await runCli(['completion', shell])).toMatchObject({ code: 0, stdout: expect.stringContaining('millrace __complete'), stderr: '' })
  }
  expect(await runCli(['completion', 'tcsh'])).toMatchObject({ code: 2, stderr: expect.stringContaining('Allowed choices are bash, zsh, fish.') })
})

describe('in bash', () => {
  const folder = newFolder('bash')
  writeFileSync(join(folder, 'millrace'), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`)
  chmodSync(join(folder, 'millrace'), 0o755)
  writeFileSync(join(folder, 'a file.env'), '')

  /** Completes a line as bash splits it, and prints the offered words. */
  async function completeInBash(...words: string[]): Promise<string[]> {
    const { stdout: script } = await runCli(['completion', 'bash'])
    const { stdout, stderr } = spawnSync(
      'bash',
      ['--norc', '-c', `${script}\nCOMP_WORDS=(millrace "$@"); COMP_CWORD=$#; _millrace; printf '%s\\n' "\${COMPREPLY[@]}"`, 'bash', ...words],
      {
        encoding: 'utf8',
        cwd: folder,
        env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder },
      },
    )
    expect(stderr).toBe('')
    return stdout.trim().split('\n')
  }

  test('offers commands, values and files', async () => {
    expect(await completeInBash('variable', 'g')).toEqual(['get'])
    expect(await completeInBash('variable', 'ls', '-o', 'js')).toEqual(['json'])
    expect(await completeInBash('dev', '--dotenv', 'a')).toEqual(['a file.env'])
  })

  test('does not evaluate the words of a half-typed line', async () => {
    expect(await completeInBash('variable', 'set', 'x', '$(touch evaluated)', '')).toEqual([''])
    expect(spawnSync('ls', [folder], { encoding: 'utf8' }).stdout).not.toContain('evaluated')
  })
})
