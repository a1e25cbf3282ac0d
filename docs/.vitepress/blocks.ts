import { renderMermaidSVG } from 'beautiful-mermaid'
import type { MarkdownOptions } from 'vitepress'

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/** Commands that are indented look like those in fences. */
export function indentedCode(markdown: Markdown): void {
  markdown.core.ruler.push('indented_code', ({ tokens }) => {
    for (const token of tokens)
      if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: 'sh' })
  })
}

/** In pixels: less space than usual, so that a diagram fits beside the list of pages. */
const narrow = { padding: 8, nodeSpacing: 16, layerSpacing: 24 }

const themes = {
  light: { bg: '#ffffff', fg: '#3c3c43', muted: '#55555c', line: '#77777f' },
  dark: { bg: '#1b1b1f', fg: '#dfdfd6', muted: '#b6b6ae', line: '#85858a' },
}

/** Draws the diagrams in Mermaid's language, once for each theme. They are pictures: their styles would be forbidden in the page. */
export function drawnDiagrams(markdown: Markdown): void {
  const fence = markdown.renderer.rules.fence
  markdown.renderer.rules.fence = (tokens, at, ...rest) => {
    const token = tokens[at]
    if (token?.info !== 'mermaid') return fence?.(tokens, at, ...rest) ?? ''
    const pictures = Object.entries(themes).map(([theme, colors]) => {
      const svg = renderMermaidSVG(token.content, { ...colors, ...narrow }).replace(
        /@import url\([^)]*\);/,
        '',
      )
      const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
      return `<img class="diagram-${theme}" alt="Diagram; its source is in this page's file" src="${source}">`
    })
    return `<p class="diagram">${pictures.join('')}</p>`
  }
}
