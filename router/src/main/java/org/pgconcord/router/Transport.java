package org.pgconcord.router;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** The event loops and channel kinds in use: epoll where its native part loads, else NIO. */
record Transport(
    EventLoopGroup loops,
    Class<? extends ServerChannel> serverChannel,
    Class<? extends Channel> channel) {

  static Transport open(int threads) {
    DefaultThreadFactory names = new DefaultThreadFactory("router", true);
    return Epoll.isAvailable()
        ? new Transport(
            new MultiThreadIoEventLoopGroup(threads, names, EpollIoHandler.newFactory()),
            EpollServerSocketChannel.class,
            EpollSocketChannel.class)
        : new Transport(
            new MultiThreadIoEventLoopGroup(threads, names, NioIoHandler.newFactory()),
            NioServerSocketChannel.class,
            NioSocketChannel.class);
  }
}
