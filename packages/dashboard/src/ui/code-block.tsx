import { classNames } from './classes.ts'
import { CopyButton } from './copy-button.tsx'

/** Something to be copied whole: a command, a snippet. */
export function CodeBlock({ code, className }: { readonly code: string; readonly className?: string }) {
  return (
    <div className={classNames('flex items-start rounded-md border border-line bg-sunken', className)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre tabIndex={0} className="min-w-0 flex-1 overflow-x-auto px-3 py-2 font-mono text-sm">
        {code}
      </pre>
      <CopyButton text={code} />
    </div>
  )
}
