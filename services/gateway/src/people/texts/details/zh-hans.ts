import type { Texts } from './en.ts'

export const texts = {
  heading: '您的资料',
  lead: '您允许查看个人资料的应用会获得这些信息。留空的内容不会向任何人显示。',
  addressByAdministrators: '只有管理员可以更改您的电子邮件地址。',
  save: '保存',
  yes: '是',
  no: '否',
  choices: { yes: '是', no: '否', none: '未说明', leave: (now) => `保持不变：${now}` },
  faults: {
    text: (label, most) => `“${label}”必须是 1 到 ${most} 个可见字符的文本。`,
    picture: (label) => `“${label}”必须是不含密码的 https 网址。`,
    language: (label) => `“${label}”必须是语言标签，例如 en 或 de-CH。`,
    zone: (label) => `“${label}”必须是时区，例如 Europe/Berlin。`,
  },
} satisfies Texts
