# Run in this folder: gnuplot fig2d.gp
set datafile separator ','
set encoding utf8
set border 3 lw 1
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
set style line 4 lc rgb '#777777' lw 1.5 dt 4
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 900,560 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2d.svg'
set title "One attention layer between factored (a = 0) and plain (a = 1), contacts couplings\nL = q = 20, M = 3000, mean Hamming distance 0.8, beta = 1.47; mean of 3 seeds and their range\nSGD on masked tokens, batch 100, rate 0.1, momentum 0.9, 1000 epochs, best of 4 starts" font ',12'
set xlabel 'dial a: queries and keys from p + a e, values from e + a p'
set ylabel 'final test loss (nats per masked site)'
set key top left Left reverse font ',12'
set xrange [-0.05:1.05]
set yrange [1.039:1.089]
plot 'fig2d.csv' using (strcol('map') eq 'softmax' ? column('a') : NaN):'mean' with lines ls 1 notitle, \
     '' using (strcol('map') eq 'softmax' ? column('a') : NaN):'mean':'lowest':'highest' with yerrorbars ls 1 title 'softmax of queries and keys', \
     '' using (strcol('map') eq 'free' ? column('a') : NaN):'mean':'lowest':'highest' with yerrorbars ls 2 ps 1.4 title 'a = 0, free map', \
     1.041736407 with lines ls 3 title 'optimal loss (true conditionals)'
unset output
unset multiplot
set terminal pngcairo size 900,560 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2d.png'
set title "One attention layer between factored (a = 0) and plain (a = 1), contacts couplings\nL = q = 20, M = 3000, mean Hamming distance 0.8, beta = 1.47; mean of 3 seeds and their range\nSGD on masked tokens, batch 100, rate 0.1, momentum 0.9, 1000 epochs, best of 4 starts" font ',12'
set xlabel 'dial a: queries and keys from p + a e, values from e + a p'
set ylabel 'final test loss (nats per masked site)'
set key top left Left reverse font ',12'
set xrange [-0.05:1.05]
set yrange [1.039:1.089]
plot 'fig2d.csv' using (strcol('map') eq 'softmax' ? column('a') : NaN):'mean' with lines ls 1 notitle, \
     '' using (strcol('map') eq 'softmax' ? column('a') : NaN):'mean':'lowest':'highest' with yerrorbars ls 1 title 'softmax of queries and keys', \
     '' using (strcol('map') eq 'free' ? column('a') : NaN):'mean':'lowest':'highest' with yerrorbars ls 2 ps 1.4 title 'a = 0, free map', \
     1.041736407 with lines ls 3 title 'optimal loss (true conditionals)'
unset output
