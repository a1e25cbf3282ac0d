import type { Texts } from './en.ts'

export const texts = {
  address: '邮箱地址',
  send: '发送邮件',
  wrongAddress: '请输入邮箱地址，例如 ann@example.com。',
  checkMail: '请查看您的邮箱',
  over: {
    title: '此链接已失效',
    lead: '它已被使用，或已过期。更改密码或地址后，链接也会失效。',
    toAccount: '前往您的账户',
  },
} satisfies Texts
