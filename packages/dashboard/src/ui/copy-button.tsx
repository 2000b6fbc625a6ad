import { useState } from 'react'
import { IconButton } from './button.tsx'
import { copyText } from './copy-text.ts'

export function CopyButton({ text, label = 'Copy' }: { readonly text: string | (() => string); readonly label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(typeof text === 'string' ? text : text())
    setCopied(true)
    window.setTimeout(() => setCopied(false), 1500)
  }
  return <IconButton icon={copied ? 'check' : 'copy'} label={copied ? 'Copied' : label} onClick={() => void copy()} />
}
