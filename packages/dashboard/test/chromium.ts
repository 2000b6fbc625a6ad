import { execFile } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface Chromium {
  readonly executablePath: string
  readonly env: Record<string, string>
}

const systemNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

let found: Promise<Chromium> | undefined

/** The Chromium on the path, or the one of the npm package. */
export function findChromium(): Promise<Chromium> {
  found ??= Promise.resolve(systemChromium() ?? unpackedChromium())
  return found
}

function systemChromium(): Chromium | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const executablePath = folders.flatMap((folder) => systemNames.map((name) => join(folder, name))).find((path) => existsSync(path))
  return executablePath === undefined ? undefined : { executablePath, env: environment() }
}

/**
 * Unpacks Chromium once per version and user, in a folder that only this user can have created. The package includes libraries and fonts
 * that a bare machine lacks, such as NSS, but unpacks them only on AWS Lambda and only into TMPDIR, so both variables are set for it.
 */
async function unpackedChromium(): Promise<Chromium> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`the browser tests need Chromium on the path: the npm package has none for ${process.platform} ${process.arch}`)
  }
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '..', '..', 'package.json'), 'utf8')) as { version: string }
  const { uid, username } = userInfo()
  const folder = join(tmpdir(), `millrace-chromium-${version}-${uid < 0 ? username : uid}`)
  if (!existsSync(folder)) await unpackInto(folder)
  const stat = lstatSync(folder)
  if (!stat.isDirectory() || (uid >= 0 && stat.uid !== uid)) throw new Error(`${folder} belongs to another user: remove it and run the tests again`)
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...environment(),
      LD_LIBRARY_PATH: [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  }
}

/** Unpacks into a temporary folder and renames it, so that no process sees a partial browser. If another process was first, its copy stays. */
async function unpackInto(folder: string): Promise<void> {
  const temporary = mkdtempSync(`${folder}-`)
  const script = "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath()"
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: temporary, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  })
  chmodSync(temporary, 0o700)
  writeFileSync(join(temporary, 'fonts.conf'), fontsConf(folder))
  try {
    renameSync(temporary, folder)
  } catch {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Replaces the package's own file, which names Lambda folders. Fixed fonts make screenshots equal on all machines; system fonts fill gaps. */
const fontsConf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
  <alias binding="strong"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`

const environment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))
