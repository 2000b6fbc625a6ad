import { Command, CommanderError, type ErrorOptions } from 'commander'

/** A command whose error shows its usage line. Commander shows the whole help or a fixed text. */
export class UsageCommand extends Command {
  override createCommand(name?: string): UsageCommand {
    // `millrace NOUN help` is read as `--help` before.
    return new UsageCommand(name).helpCommand(false)
  }

  override error(message: string, options?: ErrorOptions): never {
    const { outputError, writeErr } = this.configureOutput()
    // Printed here, and not by commander, so that the usage follows the message.
    outputError?.(`${message}\n`, (text) => writeErr?.(text))
    writeErr?.(`${this.usageLine()}\nAdd --help for details.\n`)
    throw new CommanderError(options?.exitCode ?? 1, options?.code ?? 'commander.error', message)
  }

  usageLine(): string {
    return `Usage: ${this.createHelp().commandUsage(this)}`
  }
}
