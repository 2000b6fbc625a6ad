import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from './page-blocks.ts'

const run = promisify(execFile)

/** What `nginx -t` says about the nginx blocks of a page, with a certificate in place of those that they name. Needs nginx and openssl. */
export async function nginxProblems({ path, blocks }: Page): Promise<string[]> {
  const problems: string[] = []
  for (const { language, text, line } of blocks) {
    if (language !== 'nginx') continue
    const folder = mkdtempSync(join(tmpdir(), 'millrace-nginx-'))
    try {
      const [certificate, key, file] = ['certificate.pem', 'key.pem', 'nginx.conf'].map((name) => join(folder, name)) as [string, string, string]
      const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes', '-newkey', 'rsa:2048']
      await run('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', certificate])
      const code = text
        .replaceAll(/(ssl_certificate\s+)\S+;/g, `$1${certificate};`)
        .replaceAll(/(ssl_certificate_key\s+)\S+;/g, `$1${key};`)
        .replaceAll(/^/gm, '  ')
      // A whole file, the parts of `http`, or those of a server.
      const http = /^ *server\s*\{/m.test(code) ? code : `server {\n${code}\n}`
      writeFileSync(file, /^ *http\s*\{/m.test(code) ? text : `events {}\nhttp {\n${http}\n}\n`)
      await run('nginx', ['-t', '-p', folder, '-c', file, '-g', `pid ${folder}/nginx.pid; error_log stderr;`], {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      })
    } catch (error) {
      problems.push(`${path}:${line}: ${(error as Error).message}`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  return problems
}
