import type { Texts } from './en.ts'

export const texts = {
  title: '重置密码',
  lead: '我们会向您账户的邮箱地址发送一封带有链接的邮件。',
  username: '用户名或邮箱地址',
  missing: '请输入用户名或邮箱地址。',
  sent: '如果存在使用此名称或地址的账户，我们已向其邮箱地址发送邮件。请打开其中的链接设置新密码。',
  sentHint:
    '链接一小时内有效。如果没有收到邮件，请查看垃圾邮件文件夹。地址从未确认过的账户收不到邮件：请联系管理员。',
  back: '返回登录',
  off: '此服务器不发送邮件。请向管理员申请新密码。',
  choose: '设置新密码',
  chooseLead: (user) => `这是账户 ${user} 的密码。保存后，您将在所有地方退出登录，应用将失去访问权限。`,
  newPassword: '新密码',
  submit: '保存密码',
  another: '获取新链接',
  done: '密码已更改。请用新密码登录。',
} satisfies Texts
