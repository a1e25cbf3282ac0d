import type { Texts } from './en.ts'

export const texts = {
  heading: '选择组织',
  lead: (app) => `您要为哪个组织使用 ${app}？`,
  none: '不为其中任何组织',
  noChoice: '缺少选择：请按组织的名称。',
  acting: (organization) => `在组织 ${organization} 中`,
  only: (organization) => `此访问权限仅在组织 ${organization} 中有效。`,
} satisfies Texts
