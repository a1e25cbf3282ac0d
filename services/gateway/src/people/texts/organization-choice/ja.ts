import type { Texts } from './en.ts'

export const texts = {
  heading: '組織を選ぶ',
  lead: (app) => `${app} をどの組織のために使いますか？`,
  none: 'どの組織のためでもない',
  noChoice: '選択がありません。組織の名前を押してください。',
  acting: (organization) => `組織 ${organization}`,
  only: (organization) => `このアクセスは組織 ${organization} の中だけで有効です。`,
} satisfies Texts
