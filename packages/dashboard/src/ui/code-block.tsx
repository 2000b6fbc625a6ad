import { classNames } from './classes.ts'
import { CopyButton } from './copy-button.tsx'

/** Command or snippet with a copy button. */
export function CodeBlock({ code, className }: { readonly code: string; readonly className?: string }) {
  return (
    <div className={classNames('flex items-start rounded-md border border-line bg-sunken', className)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be focusable */}
      <pre tabIndex={0} className="min-w-0 flex-1 overflow-x-auto px-3 py-2 font-mono text-sm">
        {code}
      </pre>
      <CopyButton text={code} />
    </div>
  )
}
