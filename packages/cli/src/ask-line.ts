import { createInterface } from 'node:readline'
import { CommandError } from './errors.ts'
import type { Io } from './io.ts'

/** Asks a question on the terminal. The end of the input is an empty answer. */
export async function askLine({ stdin, stderr, signal }: Io, question: string): Promise<string> {
  const prompt = createInterface({ input: stdin, output: stderr as NodeJS.WritableStream })
  try {
    return await new Promise<string>((resolve, reject) => {
      const interrupt = () => {
        stderr.write('\n')
        reject(new CommandError('Nothing was changed.', 'interrupted'))
      }
      // A terminal in line mode gives Ctrl-C to the prompt, not to the process.
      prompt.once('SIGINT', interrupt)
      signal.addEventListener('abort', interrupt, { once: true })
      prompt.once('close', () => resolve(''))
      prompt.question(question, resolve)
    })
  } finally {
    prompt.close()
  }
}
