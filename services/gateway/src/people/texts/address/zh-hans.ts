import type { Texts } from './en.ts'

export const texts = {
  own: {
    title: '您的邮箱地址',
    confirmed: (address) => `您的地址是 ${address}，已确认。`,
    unconfirmed: (address) => `您的地址是 ${address}，尚未确认。`,
    none: '您在这里没有邮箱地址。',
    confirm: '发送确认邮件',
    change: '更改地址',
    add: '添加地址',
    new: '新邮箱地址',
    hint: '我们会向新地址发送一封带有链接的邮件。打开链接后，地址才会更改。',
    link: '更改邮箱地址',
    unchanged: '这已经是您的地址，并且已确认。',
    tooMany: '已向此地址发送过多封邮件。请一小时后再试。',
    off: '此服务器不发送邮件。请联系管理员更改您的地址。',
    sent: '邮件已发送。打开其中的链接后，您的地址就会更改。',
    done: '您的邮箱地址已确认。',
  },
  confirm: {
    title: '确认您的地址',
    lead: (address, user) => `地址 ${address} 将成为账户 ${user} 的地址。`,
    submit: '确认',
    hint: '如果这不是您的账户，请关闭此页面。不会有任何变化。',
    done: '您的地址已确认',
    close: '您现在可以关闭此页面。',
  },
} satisfies Texts
