import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../../test/databases.ts'
import { isSameProcess, type RunFile, readRunFiles, removeRunFile, writeRunFile } from './run-file.ts'

const server = { url: 'http://127.0.0.1:4300', version: '1.2.3', started: '2030-01-01T00:00:00Z', database: 'sqlite' } as const

function writeEntry(home: string, name: string, changes: Partial<RunFile>): void {
  const folder = join(home, '.millrace', 'run')
  mkdirSync(folder, { recursive: true })
  const entry = { pid: process.pid, process_start: null, machine: hostname(), ...server, ...changes }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(entry))
}

test('describes this process until its file is removed', () => {
  const home = newFolder()
  const path = writeRunFile(home, server)
  expect(path).toBe(join(home, '.millrace/run/4300.json'))
  expect(statSync(path as string).mode & 0o777).toBe(0o600)
  expect(readRunFiles(home)).toEqual([{ ...server, pid: process.pid, process_start: expect.anything(), machine: hostname() }])
  removeRunFile(path as string)
  expect(readRunFiles(home)).toEqual([])
})

test('names the file of a server without API after its process', () => {
  const home = newFolder()
  expect(writeRunFile(home, { ...server, url: null })).toBe(join(home, `.millrace/run/services-${process.pid}.json`))
})

test('keeps the file of a later server on the same port', () => {
  const home = newFolder()
  const path = writeRunFile(home, server) as string
  writeFileSync(path, readFileSync(path, 'utf8').replace(`"pid": ${process.pid}`, '"pid": 1'))
  removeRunFile(path)
  expect(readdirSync(join(home, '.millrace/run'))).toEqual(['4300.json'])
})

test('removes the file of a killed server and of a process that got its pid', async () => {
  const home = newFolder()
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  writeEntry(home, '1', { pid: child.pid as number })
  writeEntry(home, '2', { process_start: '1' })
  writeEntry(home, '3', {})
  expect(readRunFiles(home)).toMatchObject([{ process_start: null }])
  expect(readdirSync(join(home, '.millrace/run'))).toEqual(['3.json'])
})

test('ignores files of other machines and files that it cannot read', () => {
  const home = newFolder()
  writeEntry(home, '1', { machine: 'elsewhere' })
  writeFileSync(join(home, '.millrace/run/2.json'), '{')
  writeEntry(home, '3', { pid: -1 })
  expect(readRunFiles(home)).toEqual([])
  expect(readdirSync(join(home, '.millrace/run'))).toHaveLength(3)
})

test('writes nothing if the home folder cannot be written', () => {
  const home = newFolder()
  // Not by permissions: the tests may run as root.
  writeFileSync(join(home, '.millrace'), '')
  chmodSync(home, 0o500)
  expect(writeRunFile(home, server)).toBeUndefined()
  expect(readRunFiles(home)).toEqual([])
})

test('recognises a process that has ended and was not waited for', () => {
  expect(isSameProcess({ pid: process.pid, process_start: null })).toBe(true)
  expect(isSameProcess({ pid: 2 ** 22 + 1, process_start: null })).toBe(false)
})
